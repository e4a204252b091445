"""Japanese words that statements are made of, with the English names under which they are kept."""

from __future__ import annotations

KIN = {
    "母": "mother", "父": "father", "妹": "sister", "弟": "younger brother", "姉": "older sister", "兄": "brother",
    "妻": "wife", "夫": "husband", "息子": "son", "娘": "daughter", "彼女": "girlfriend", "彼氏": "boyfriend",
    "祖母": "grandmother", "祖父": "grandfather", "旦那": "husband", "主人": "husband", "上司": "manager",
    "嫁": "wife",
}  # fmt: skip
RELATIONS = {
    "上司": "manager", "マネージャー": "manager", "担任": "homeroom teacher", "担任の先生": "homeroom teacher",
    "主治医": "doctor", "かかりつけ医": "doctor", "大家": "landlord", "大家さん": "landlord", "先生": "teacher",
    "彼女": "girlfriend", "彼氏": "boyfriend", "夫": "husband", "妻": "wife", "パートナー": "partner",
    "担当者": "contact", "担当": "contact", "リーダー": "lead", "チームリーダー": "team lead",
    "部長": "department head", "課長": "section head", "社長": "ceo", "コーチ": "coach", "歯医者": "dentist",
    "指導教官": "advisor", "指導教員": "advisor", "メンター": "mentor", "店長": "store manager",
}  # fmt: skip
PLAIN = {
    "メールアドレス": "email", "メアド": "email", "電話番号": "phone", "携帯番号": "phone", "住所": "address",
    "ポート": "port", "ポート番号": "port", "家賃": "rent", "予算": "budget", "体重": "weight", "年収": "salary",
    "給料": "salary", "身長": "height", "締め切り": "deadline", "締切": "deadline", "〆切": "deadline",
    "納期": "deadline", "期限": "deadline", "値段": "price", "価格": "price", "料金": "price", "職業": "role",
    "勤務先": "employer", "苗字": "surname", "名字": "surname", "部署": "department", "起床時間": "wake up",
}  # fmt: skip
TRAITS = frozenset(  # what a manager may be besides a name
    (
        "優秀", "厳しい", "親切", "元気", "病気", "出張", "出張中",
        "休み", "女性", "男性", "アメリカ人", "日本人", "医者", "優しい",
    )
)  # fmt: skip
