"""Japanese patterns of the gate, one row each: (signal, pattern). The signals mean what they mean in English."""

from __future__ import annotations

import re

from aforesaid.text.patterns import Row, any_of, words

_N = "[0-9０-９]"
_K = "[二三四五六七八九十百千]"  # 一 is left out: 一人, 一回 and 一番 are seldom counts
_NO_QUESTION = "(?!(?:ん|の)?(?:です|でしょう)?か|の?[？?]|の？)"

_COUNTERS = (
    "円 ドル ユーロ 人 名 個 本 枚 台 匹 頭 羽 冊 回 歳 才 キロ グラム メートル センチ リットル 杯 件 軒 割 倍 "
    "パーセント 時間 分 秒 日間 週間 か月 ヶ月 カ月 年間 万 億 点 通 着 足 箱 袋 ページ 畳 つ 度 kg km cm mm ml [gmGM][bB]"
)
QUANTITY = any_of(
    rf"(?<![第0-9０-９.]){_N}[0-9０-９,，.]{{0,12}}\s?{words(_COUNTERS)}(?!目|番)",
    rf"{_N}\s?[%％℃]|[¥￥]\s?{_N}",
    rf"(?<![第一十]){_K}{{1,4}}{words('人 匹 個 枚 台 冊 杯 歳 軒 円 時間 週間 か月 年間 回')}(?!目|十色)",
)
_PARTICLE = "(?:と|が|は|も|の|に|を|から|へ|、|や)"
PERSON = any_of(  # what looks back stands after the first characters: the engine can then skip to them
    rf"(?:母|父|祖母|祖父|兄|姉|弟|妹|妻|夫(?<![一-龥々]夫)|息子|娘|叔父|叔母|甥|姪|孫)(?:{_PARTICLE}|親)",
    rf"(?:兄弟|姉妹|両親|家族|いとこ|旦那|奥さん|彼氏|彼女|嫁|友達|友人|親友|恋人|上司|同僚|先輩|後輩|部下){_PARTICLE}",
    rf"(?:恩師|担任|主治医|隣人|ルームメイト|大家|先生){_PARTICLE}",
    r"さん(?<=[一-龥々ァ-ヶーA-Za-z]さん)(?<![皆客]さん)|お(?:じい|ばあ)(?:さん|ちゃん)",
    rf"さん(?<=[ぁ-ん]{{2}}さん)(?<!たくさん)(?<!みなさん)(?<!きゃくさん){_PARTICLE}",
    r"ちゃん(?<=[一-龥々ァ-ヶー]ちゃん)|くん(?<=[一-龥々ァ-ヶー]くん)|様(?<=[ァ-ヶー]{2}様)",
    r"君(?<=[一-龥々]{2}君)(?<!諸君)(?!主|連|臨)|氏(?<=[一-龥々ァ-ヶーa-z]氏)(?<![摂華源諸両同]氏)(?!名|神)",
    "(?:部長|課長|社長|教授|監督|店長|係長|医師)(?<=[一-龥々]{2}..)(?:と|が|は|も|に|から|へ)",
    "(?:私|僕|俺)の(?:名前は|子)|子(?:供|ども)が[^。？?\\n]{0,6}い(?:ます|る)",
)
_NOT_TASTE = "(?!な(?:だけ|時|とき|ように|よう|ところ)|に(?:し|使|選)|嫌い)"
_PLEASE = "(?:ください|下さい|ほしい|欲しい|お願い)"
PREFERENCE = any_of(
    rf"(?<!お)(?:大好き|好き){_NOT_TASTE}{_NO_QUESTION}(?!なの(?:です)?か)",
    rf"(?<!好き)(?:大嫌い|嫌い|苦手){_NO_QUESTION}",
    "気に入って|お気に入り|好み(?!焼)(?:は|で|の|に)|好んで|好物|愛用|趣味は|ハマって|はまって",
    f"(?:ほう|方)が(?:いい|良い|好き|楽|合って|助か|嬉し){_NO_QUESTION}",
    rf"(?<!立)派(?:です|だ|なん|なの){_NO_QUESTION}",
    rf"(?:必ず|いつも|絶対に?|毎回)[^。\n？?]{{1,30}}(?:して|で|使って|答えて|返して|書いて){_PLEASE}",
    rf"(?:今後は|これからは|以後は?)[^。\n？?]{{1,40}}(?:{_PLEASE}|よろしく)|ないで{_PLEASE}",
)
_SELF = "(?:私|わたし|僕|ぼく|俺|おれ|うち|弊社|当社|我が家|わが家|私たち|僕たち|我々)"
_STOP = r"(?=[。、！!\n]|よ|が|けど|ので|ね|し|$)"  # a plain verb that ends its clause, not one before a noun
_STATES = "(?:住んで|働いて|勤めて|飼って|通って|持って|使って|習って|育てて|勉強して|運営して)い?"
_EVENTS = "(?:引っ?越|結婚|離婚|転職|入社|退職|卒業|入学|入院|退院|購入|契約|予約)し"
_DEEDS = "買い 行き 行って来 行ってき 始め 辞め やめ 食べ 観 作り 会い もらい 飲み 読み 訪れ 受け 売り 借り"
_OWN = "(?:子供|子ども|猫|犬|妻|夫|兄|弟|姉|妹|娘|息子|彼女|彼氏)"
ASSERTION = any_of(
    rf"{_SELF}(?:は|も)[^。？?！!\n]{{1,60}}(?:です|ます|でした|ました|ません|んだ|った|いる|ない|した){_STOP}",
    rf"{_STATES}(?:(?:ます|ました){_NO_QUESTION}|[るた]{_STOP})",
    rf"{_EVENTS}(?:(?:ました|ます){_NO_QUESTION}|た{_STOP})",
    rf"{words(_DEEDS)}ました{_NO_QUESTION}",
    rf"(?:行ってきた|買った|始めた|辞めた|もらった)(?:。|！|よ|んだ|$|けど|が){_NO_QUESTION}",
    rf"(?:出身(?:です|で、|だ)|生まれ(?:です|ました|育|の)|育ちです|(?:予約|用事|面接)があります|アレルギー(?:が|です|なので|を|持)){_NO_QUESTION}|生まれた{_STOP}",
    rf"{_N}{{1,3}}[歳才](?:です|だ|に){_NO_QUESTION}",
    rf"毎(?:朝|晩|日|週|月|年)[^。？?\n]{{1,40}}ます{_NO_QUESTION}|予定(?:です|があります){_NO_QUESTION}",
    rf"{_OWN}が(?:[0-9０-９一二三四五]{{1,2}}[人匹])?い(?:ます|る){_NO_QUESTION}",
    rf"(?:私|僕|俺|うち)の[^。？?\n、]{{1,20}}は[^。？?\n]{{1,40}}(?:です|でした|だ|ます|ました){_STOP}",
)
_DONE = "(?:した(?!い|ら|方|ほう)|しました|済み|でき(?:た|ました))"
DECISION = any_of(
    "(?:に|と|を|で)決(?:め(?:た(?!い|ら)|ました)|定し(?:た(?!い)|ました)|まった|まりました)",
    "ことに(?:した(?!い|ら)|しました|します|決め(?:た(?!い)|ました)|決まり|なりました|なった)",
    "(?:これ|それ|案|方針|構成|方式)で(?:いこう|行こう|いきま|行きま|進め(?:ます|よう|ましょう))",
    "採用(?:し(?:た(?!い|ら)|ました|ます)|が決)|(?:結論|決定事項)(?:は|：|:|として)",
    "(?:に|へ)(?:移行|統一)し(?:ます|ました|た(?!い))",
)
RESOLUTION = any_of(
    f"直(?:った(?!ら)|りました|しました|した(?!い|ら|方|ほう))|(?:解決|修正){_DONE}|動くようになっ|回避でき",
    r"原因は(?![^。\n]{0,20}(?:何|不明|分か|わか|？|\?))",
)
MILESTONE = any_of(
    f"(?:リリース|公開|デプロイ|完了|マージ|達成|完成|納品|合格|出荷|ローンチ|本番反映|提出)(?:{_DONE}|になりました)",
    "(?:稼働|開始)し(?:ました|た(?!い|ら))",
)
CONFIGURATION = any_of(
    "(?:に|を|と|へ)設定(?:し(?!たい)|済)|設定(?:ファイル|値|項目)|環境変数",
    "(?:有効|無効)(?:にし(?!たい|たら)|化)|ポート(?:番号|は|を)|デフォルト(?:は|を|値)",
)
DEFINITION = r"とは[^。\n？?]{1,40}(?:こと|もの|意味)(?:です|だ|である)|と定義|の定義は|の略(?:です|で)"
DATA = any_of(
    "スキーマ|(?:主|外部)キー|連想配列|ハッシュマップ|ハッシュ表|二分木|構造体|連結リスト",
    "(?:カラム|列)(?:に|を|は|が)(?:追加|持)",
)
DEPENDENCY = "に依存し|依存(?:関係|ライブラリ|パッケージ|性)|(?:ライブラリ|パッケージ)を(?:使|追加|インストール|更新)"
TEST = any_of(
    "(?:単体|ユニット|結合|回帰|自動|E2E)テスト|テスト(?:コード|ケース|スイート)",
    "テスト(?:が|は|を)(?:全部|すべて)?(?:通|落ち|失敗|追加|書)",
)
COMMENT = "ドキュメントコメント|docコメント"

PROSE_ROWS: tuple[Row, ...] = (
    ("natural_quantity", re.compile(QUANTITY)),
    ("natural_person", re.compile(PERSON)),
    ("natural_preference", re.compile(PREFERENCE)),
    ("natural_assertion", re.compile(ASSERTION, re.MULTILINE)),
    ("action_decision", re.compile(DECISION)),
    ("action_resolution", re.compile(RESOLUTION)),
    ("action_milestone", re.compile(MILESTONE)),
)
TEXT_ROWS: tuple[Row, ...] = (
    ("action_configuration", re.compile(CONFIGURATION)),
    ("structure_definition", re.compile(DEFINITION)),
    ("structure_data", re.compile(DATA)),
    ("structure_dependency", re.compile(DEPENDENCY)),
    ("structure_test", re.compile(TEST)),
    ("structure_comment", re.compile(COMMENT)),
)
